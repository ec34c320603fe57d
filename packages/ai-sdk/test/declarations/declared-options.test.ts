import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider'
import { toLanguageModel } from '@modelport/ai-sdk'
import { describe, expect, test } from 'vitest'
import { type Sample, samplesOf, toolSamplesOf } from './samples.js'
import { baseCall, type DeclaredVendor, declaredVendors } from './vendors-under-test.js'

type Place = keyof DeclaredVendor['types']

/** The call with an option of a vendor in its place. */
function callWith(place: Place, options: Record<string, object>): LanguageModelV4CallOptions {
  const providerOptions = options as NonNullable<LanguageModelV4CallOptions['providerOptions']>
  const { prompt, tools = [] } = baseCall
  const later: LanguageModelV4Prompt = [
    {
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId: 'c1', toolName: 'look', input: { city: 'Oslo' } }],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'c1',
          toolName: 'look',
          output: { type: 'text', value: 'Cold.' },
          ...(place === 'result' && { providerOptions }),
        },
      ],
    },
  ]
  switch (place) {
    case 'call':
      return { ...baseCall, providerOptions }
    case 'tool':
      return {
        ...baseCall,
        tools: tools.map((tool) =>
          tool.type === 'function' ? { ...tool, providerOptions } : tool,
        ),
      }
    case 'result':
      return { ...baseCall, prompt: [...prompt, ...later] }
    default:
      return {
        ...baseCall,
        prompt: prompt.map((message) =>
          message.role === place ? { ...message, providerOptions } : message,
        ),
      }
  }
}

/** What a call sends, what it warns of, and how it is refused. */
async function outcomeOf(vendor: DeclaredVendor, call: LanguageModelV4CallOptions) {
  let sent = ''
  const provider = vendor.create((_, init) => {
    sent += JSON.stringify(Object.fromEntries(new Headers(init?.headers)))
    const { body } = init ?? {}
    sent += typeof body === 'string' ? body : new TextDecoder().decode(body as Uint8Array)
    return Promise.resolve(Response.json(vendor.reply))
  })
  let refusal = ''
  const result = await Promise.resolve(toLanguageModel(provider).doGenerate(call)).catch(
    (error: unknown) => {
      refusal = String(error)
    },
  )
  const warnings = JSON.stringify(result?.warnings ?? [])
  return { sent, warnings, refusal }
}

/** `containerReference` as `container_reference`. */
const toWords = (mark: string): string =>
  mark.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

interface Asked {
  readonly name: string
  readonly place?: Place
  readonly marks: readonly string[]
  readonly call: LanguageModelV4CallOptions
  /** What the call sends without the option. */
  readonly base: string
}

/** What is wrong with how an option fared. */
async function faultOf(
  vendor: DeclaredVendor,
  { name, place, marks, call, base }: Asked,
): Promise<string | undefined> {
  const { sent, warnings, refusal } = await outcomeOf(vendor, call)
  const isWarned = warnings.includes(`.${name}"`) || warnings.includes(` ${name}"`)
  if (name in vendor.asOurs) return undefined
  const { [place as 'call']: expected = [] } = vendor.warned
  if (isWarned !== expected.includes(name))
    return isWarned ? `${name}: is not sent: ${warnings}` : `${name}: has no warning`
  if (isWarned || refusal.includes(name)) return undefined
  if (refusal) return `${name}: ${refusal}`
  const lost = marks.filter((mark) => !sent.includes(mark) && !sent.includes(toWords(mark)))
  if (sent === base) return `${name}: nothing of it is sent`
  return lost.length ? `${name}: ${lost.join(', ')} is not sent` : undefined
}

describe.each(declaredVendors)('the options of $package for $api', (vendor) => {
  const places = Object.entries(vendor.types) as [Place, string][]
  const declared = samplesOf(
    vendor.package,
    places.map(([, type]) => type),
  )

  test.each(places)(
    'every option that is declared for a %s, by %s, is on the wire or in the warnings',
    async (place, type) => {
      const faults: (string | undefined)[] = []
      const options = declared.get(type) ?? new Map<string, readonly Sample[]>()
      expect(options.size).toBeGreaterThan(0)
      const { sent: base } = await outcomeOf(vendor, callWith(place, {}))
      for (const [name, samples] of options)
        for (const { value, marks } of samples) {
          const call = callWith(place, { [vendor.namespace]: { [name]: value } })
          faults.push(await faultOf(vendor, { name, place, marks, call, base }))
        }
      expect(faults.filter((fault) => fault !== undefined)).toEqual([])
    },
    60_000,
  )
})

/** APIs whose package has another API with other options. */
const siblings = declaredVendors.flatMap((vendor) =>
  declaredVendors
    .filter(
      (other) =>
        other !== vendor &&
        other.package === vendor.package &&
        other.namespace === vendor.namespace &&
        other.types.call !== vendor.types.call,
    )
    .map((other) => ({ vendor, other, api: vendor.api, of: other.api })),
)

describe.each(siblings)('the options of $of for $api', ({ vendor, other }) => {
  test('an option that only another API of the package has is in the warnings, and not on the wire', async () => {
    const { call: own = '' } = vendor.types
    const { call: foreign = '' } = other.types
    const declared = samplesOf(vendor.package, [own, foreign])
    const faults: string[] = []
    const names = [...(declared.get(foreign)?.keys() ?? [])].filter(
      (name) => !declared.get(own)?.has(name),
    )
    expect(names).not.toEqual([])
    const { sent: base } = await outcomeOf(vendor, callWith('call', {}))
    for (const name of names)
      for (const { value } of declared.get(foreign)?.get(name) ?? []) {
        const call = callWith('call', { [vendor.namespace]: { [name]: value } })
        const { sent, warnings, refusal } = await outcomeOf(vendor, call)
        if (!warnings.includes(`.${name}"`) || sent !== base)
          faults.push(`${name}: ${warnings} ${refusal} ${sent === base ? '' : sent}`)
      }
    expect(faults).toEqual([])
  })
})

describe.each(declaredVendors.filter(({ tools }) => tools !== undefined))(
  'the tools of $package',
  (vendor) => {
    test('every tool that the vendor has, with every argument, is on the wire', async () => {
      const faults: (string | undefined)[] = []
      const { tools: exported = '' } = vendor
      const tools = toolSamplesOf(vendor.package, exported)
      const { [exported]: made } = (await import(vendor.package)) as Record<
        string,
        { readonly tools: Record<string, (args: object) => { id: string; args: object }> }
      >
      expect(tools.size).toBeGreaterThan(0)
      const { sent: base } = await outcomeOf(vendor, { ...baseCall, tools: [] })
      for (const [name, samples] of tools)
        for (const { value, marks } of samples) {
          const { id, args } = made?.tools[name]?.(value as object) ?? { id: '', args: {} }
          const tool = { type: 'provider' as const, id: id as 'a.b', name: `my_${name}`, args }
          const call = { ...baseCall, tools: [tool] } as LanguageModelV4CallOptions
          faults.push(await faultOf(vendor, { name: id, marks, call, base }))
        }
      expect(faults.filter((fault) => fault !== undefined)).toEqual([])
    }, 60_000)
  },
)
