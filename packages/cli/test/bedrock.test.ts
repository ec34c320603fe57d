// Amazon Bedrock at the command line: its address is that of a region.
import { existsSync, readFileSync } from 'node:fs'
import { bedrockConverse } from '@modelport/test-formats'
import { describe, expect, test } from 'vitest'
import { useModel } from './set-up.js'
import { command, type Outcome, type World } from './test-io.js'
import { configOf, key } from './wire.js'

const { home, server } = useModel({ formats: [bedrockConverse] })
const model = 'us.anthropic.claude-sonnet-4-6'
const cli = (args: readonly string[], world: Partial<World> = {}): Promise<Outcome> =>
  command(args, { home: home.path, stdin: '', ...world })
const init = (
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Outcome> => cli(['init', '-p', `bedrock:${model}`, ...args], { environment })

describe('init for Bedrock', () => {
  test.each([
    [['--region', 'eu-west-1'], { AWS_REGION: 'us-east-1' }],
    [[], { AWS_REGION: 'eu-west-1', AWS_DEFAULT_REGION: 'us-east-1' }],
    [[], { AWS_DEFAULT_REGION: 'eu-west-1' }],
  ])(
    'init for Bedrock with %j and %j writes the region, of which hosts shows the address',
    async (args, variables) => {
      expect((await init(['--no-test', ...args], variables)).code).toBe(0)
      expect(readFileSync(configOf(home.path), 'utf8')).toBe(
        `models:\n  - name: main\n    provider: bedrock\n    model: ${model}\n    bedrock:\n      region: eu-west-1\nroles:\n  chat: main\n`,
      )
      expect((await cli(['hosts'])).out).toBe('bedrock-runtime.eu-west-1.amazonaws.com:443\n')
    },
  )

  test("init for Claude's own API on Bedrock asks for the same region", async () => {
    const args = ['-p', 'anthropic-bedrock:anthropic.claude-haiku-4-5', '--region', 'eu-west-1']
    expect(await cli(['init', '--no-test', ...args])).toMatchObject({ code: 0, err: '' })
    expect((await cli(['hosts'])).out).toBe('bedrock-mantle.eu-west-1.api.aws:443\n')
  })

  test.each([
    [['--no-test'], 'give --region: neither AWS_REGION nor AWS_DEFAULT_REGION is set', 2],
    [
      ['--no-test', '-p', 'anthropic', '--region', 'us-east-1'],
      '--region: anthropic has no region; leave it out',
      2,
    ],
    [['--region', 'mars-1'], 'region "mars-1" has no known address', 3],
  ])('init for Bedrock with %j writes nothing and says: %s', async (args, message, code) => {
    const outcome = await init(args)
    expect(outcome).toMatchObject({ code, out: '' })
    expect(outcome.err).toContain(message)
    expect(existsSync(configOf(home.path))).toBe(false)
  })

  test('init tests Bedrock at an address of the user, and doctor takes every step', async () => {
    const args = ['--base-url', server.url, '--region', 'us-east-1', '--key-env', 'AWS_KEY']
    expect(await init(args, { AWS_KEY: key })).toMatchObject({ code: 0, err: '' })
    const { out, code } = await cli(['doctor', '--json'], { environment: { AWS_KEY: key } })
    const { models } = JSON.parse(out) as {
      models: { provider: string; steps: { id: string; status: string }[] }[]
    }
    expect(code).toBe(0)
    expect(models.map(({ provider }) => provider)).toEqual(['bedrock'])
    expect(models[0]?.steps.filter(({ id, status }) => status !== 'ok' && id !== 'tls')).toEqual([])
  })

  test('doctor says that the region is missing, and what to do', async () => {
    const { out, code } = await cli(['doctor', '--json', '-m', `bedrock:${model}`])
    const { models } = JSON.parse(out) as { models: { steps: { id: string; detail: string }[] }[] }
    expect(code).toBe(20)
    expect(models[0]?.steps[0]).toMatchObject({
      id: 'config',
      detail: expect.stringContaining(
        'the region is missing; give bedrock: { region: "us-east-1" }',
      ) as string,
    })
  })
})
