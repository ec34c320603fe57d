import { createCard, createSkill, defaultCapabilities, enabledCapabilities } from '@modelport/agent'
import { fromProtolinkCard, toPromptText, toProtolinkCard } from '@modelport/compat'
import { describe, expect, it } from 'vitest'

const minimal = { name: 'weather', description: 'Weather', url: 'https://example.com/weather' }

describe('a card', () => {
  it('a card gets the defaults of Protolink', () => {
    const card = fromProtolinkCard(minimal)
    expect(card).toMatchObject({
      version: '1.0.0',
      securitySchemes: {},
      role: 'worker',
      transport: 'http',
      tags: [],
    })
    expect(card.capabilities).toEqual(defaultCapabilities)
    expect(card.inputFormats).toEqual(['text/plain'])
  })

  it.each(['name', 'description', 'url'])(
    'a card is refused without %s, with the message of Protolink',
    (name) => {
      const { [name as 'name']: _, ...rest } = minimal
      expect(() => fromProtolinkCard(rest)).toThrow(`AgentCard :: Missing required field: ${name}`)
    },
  )

  it('a card writes the wire names of Protolink, role and transport included', () => {
    const card = createCard({
      ...minimal,
      version: '3.0.0',
      role: 'gateway',
      capabilities: { streaming: true, toolCalling: true },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    })
    expect(toProtolinkCard(card)).toMatchObject({
      capabilities: { streaming: true, tool_calling: true, max_concurrency: 1 },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
      role: 'gateway',
      transport: 'http',
      version: '3.0.0',
    })
    expect(fromProtolinkCard(toProtolinkCard(card))).toEqual(card)
  })

  it('a card reports what is wrong with JSON pointers', () => {
    expect(() => createCard({ ...minimal, skills: [{ id: 'a' }, { id: 'a' }] })).toThrow(
      'used twice',
    )
    expect(() => createCard({ ...minimal, url: 'no url' })).toThrow('not a URL')
    expect(() => createCard({ ...minimal, capabilities: { maxConcurrency: 0 } })).toThrow(
      'maxConcurrency',
    )
    expect(() => fromProtolinkCard({ ...minimal, skills: [{ id: 7 }], tags: 'x' })).toThrow(
      'AgentCard/skills/0/id',
    )
    expect(() => createCard({ ...minimal, securityRequirements: [{ none: [] }] })).toThrow(
      'securitySchemes',
    )
  })

  it('a card lists the capabilities that are on', () => {
    expect(enabledCapabilities({ ...defaultCapabilities, streaming: true })).toEqual([
      'streaming',
      'maxConcurrency: 1',
      'delegation',
    ])
  })

  it('a card describes itself to a model', () => {
    const card = createCard({
      ...minimal,
      skills: [{ id: 'get_weather', description: 'Now', inputSchema: { type: 'object' } }],
    })
    expect(toPromptText(card)).toContain('- get_weather: Now\n  Input schema: {"type":"object"}')
  })
})

describe('a skill', () => {
  it('a skill has empty defaults and a name derived from its id', () => {
    expect(createSkill({ id: 'get_weather' })).toEqual({
      id: 'get_weather',
      name: 'Get Weather',
      description: '',
      inputSchema: {},
      outputSchema: {},
      tags: [],
      examples: [],
      inputModes: [],
      outputModes: [],
    })
  })

  it('a skill reads null tags and examples as empty', () => {
    const card = fromProtolinkCard({
      ...minimal,
      skills: [{ id: 'x', tags: null, examples: null }],
    })
    expect(card.skills[0]).toMatchObject({ tags: [], examples: [] })
  })

  it.each([
    'simple-skill',
    'skill_with_underscores',
    'skill.with.dots',
    'skill123',
    'SKILL-WITH-CAPS',
  ])('a skill accepts the id %s', (id) => {
    expect(
      fromProtolinkCard({ ...minimal, skills: [{ id, description: '   ' }] }).skills[0],
    ).toMatchObject({
      id,
      description: '   ',
    })
  })
})
