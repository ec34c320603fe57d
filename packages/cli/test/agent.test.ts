import { writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough, Writable } from 'node:stream'
import { createAgent } from '@modelport/agent'
import { run } from '@modelport/cli'
import { installAdvice } from '@modelport/factory'
import { createMock } from '@modelport/provider-mock'
import { defineTool } from '@modelport/runtime'
import { type ListeningServer, serve } from '@modelport/serve/node'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { useModel } from './set-up.js'
import { command, type Outcome, startCommand, type World } from './test-io.js'
import { key } from './wire.js'

const { home } = useModel({ fields: '' })
let server: ListeningServer
let deleted: number
const token = 'token-of-the-test'
const cli = (args: readonly string[], world: Partial<World> = {}): Promise<Outcome> =>
  command(args, { home: home.path, stdin: '', ...world })

beforeEach(async () => {
  deleted = 0
  const remove = defineTool({
    name: 'remove',
    description: 'Removes everything',
    execute: () => {
      deleted++
      return 'removed'
    },
  })
  const agent = createAgent({
    card: { name: 'janitor', description: 'Cleans up' },
    provider: createMock({
      defaultResponse: ({ messages }) =>
        messages.some(({ role }) => role === 'assistant')
          ? 'That is all'
          : JSON.stringify(messages).includes('clean')
            ? { toolCalls: [{ name: 'remove', arguments: {} }] }
            : 'Nothing to do',
    }),
    tools: [remove],
    policy: { default: 'require-approval' },
  })
  server = await serve([agent])
})
afterEach(() => server.close())

describe('agent send', () => {
  test('agent send names the host before it streams the reply', async () => {
    const { code, out, err } = await cli(['agent', 'send', server.url, 'hello'])
    expect([code, out]).toEqual([0, 'Nothing to do\n'])
    expect(err).toBe(`contacts 127.0.0.1:${server.port}\n`)
  })

  test('agent send streams the reply to a terminal and prints it once', async () => {
    const pieces: string[] = []
    const { out } = await cli(['agent', 'send', server.url, 'hello'], {
      terminal: true,
      onOutput: (text) => pieces.push(text),
    })
    expect(out).toBe('Nothing to do\n')
    expect(
      pieces.filter((text) => text && 'Nothing to do\n'.includes(text)).length,
    ).toBeGreaterThan(1)
  })

  test('agent send refuses an approval when the input is not a terminal', async () => {
    const { code, out, err } = await cli(['agent', 'send', server.url, 'clean'])
    expect([code, out, deleted]).toEqual([4, 'That is all\n', 0])
    expect(err).toContain('refused: not a terminal; pass --yes to approve every request')
  })

  test('agent send approves every request with --yes', async () => {
    const { code, out } = await cli(['agent', 'send', server.url, 'clean', '--yes'])
    expect([code, out, deleted]).toEqual([0, 'That is all\n', 1])
  })

  test.each([
    ['y', 1],
    ['n', 0],
  ])('agent send asks at the terminal and takes %s for the decision', async (answer, count) => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true })
    let text = ''
    const output = () =>
      new Writable({
        write: (chunk, _encoding, done) => {
          text += String(chunk)
          done()
        },
      })
    // The first milliseconds after a question are deaf, so the key is pressed again until the
    // command ends.
    const keys = setInterval(() => text.includes('approve?') && stdin.write(`${answer}\n`), 50)
    try {
      const code = await run(['agent', 'send', server.url, 'clean'], {
        stdin,
        stdout: output(),
        stderr: output(),
        home: home.path,
        environment: () => undefined,
        onInterrupt: () => () => undefined,
      })
      expect([code, deleted]).toEqual([count ? 0 : 4, count])
      expect(text).toContain('the agent asks to run {')
      expect(text).toContain('remove')
    } finally {
      clearInterval(keys)
    }
  })

  test('agent send prints the question of an agent that said something before it', async () => {
    const agent = createAgent({
      card: { name: 'travel', description: 'Asks' },
      handler: async ({ delta }) => {
        await delta('Looking at flights.')
        return { state: 'input-required', message: 'Which city?' }
      },
    })
    const asking = await serve([agent])
    try {
      const piped = await cli(['agent', 'send', asking.url, 'fly'])
      expect([piped.code, piped.out]).toEqual([0, 'Which city?\n'])
      expect(piped.err).toMatch(/task \S+ is input-required; continue it: modelport agent send/)
      const shown = await cli(['agent', 'send', asking.url, 'fly'], { terminal: true })
      expect(shown.out).toContain('Looking at flights.\nWhich city?\n')
    } finally {
      await asking.close()
    }
  })

  test('agent send quotes the id of a foreign task in the command that it prints', async () => {
    let url = ''
    const host = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => (body += chunk.toString()))
      request.on('end', () => {
        const name = 'shell'
        const supportedInterfaces = [{ url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
        const card = {
          name,
          description: 'Asks',
          version: '1',
          supportedInterfaces,
          capabilities: {},
          skills: [],
        }
        const task = {
          id: "t'; touch x #",
          contextId: 'c',
          status: { state: 'TASK_STATE_INPUT_REQUIRED' },
        }
        const asked = body ? (JSON.parse(body) as { id: unknown }) : undefined
        response.setHeader('content-type', 'application/json')
        response.end(
          JSON.stringify(asked ? { jsonrpc: '2.0', id: asked.id, result: { task } } : card),
        )
      })
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => host.once('listening', resolve))
    url = `http://127.0.0.1:${(host.address() as AddressInfo).port}`
    const { err } = await cli(['agent', 'send', url, 'fly'])
    host.close()
    expect(err).toContain(`modelport agent send ${url} --task 't'\\''; touch x #' "…"`)
  })

  test('agent send cancels the task at Ctrl-C', async () => {
    let onCancel: () => void = () => undefined
    const cancelled = new Promise<void>((resolve) => {
      onCancel = resolve
    })
    const slow = createAgent({
      card: { name: 'slow', description: 'Waits' },
      handler: ({ signal }) =>
        new Promise<string>((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            onCancel()
            reject(new Error('cancelled'))
          })
        }),
    })
    const waiting = await serve([slow])
    try {
      const running = startCommand(['agent', 'send', waiting.url, 'hello', '--json'], {
        home: home.path,
        stdin: '',
        onOutput: (text) => {
          if (text.includes('"working"')) running.interrupt()
        },
      })
      expect((await running.done).code).toBe(130)
      await cancelled
    } finally {
      await waiting.close()
    }
  })

  test('agent send prints each event as a line of JSON', async () => {
    const { out } = await cli(['agent', 'send', server.url, 'hello', '--json'])
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { type: string })
    expect(events.map(({ type }) => type)).toContain('text-delta')
  })

  test('agent send says why a task failed or was rejected, without advice about models', async () => {
    const agent = createAgent({
      card: { name: 'picky', description: 'Refuses' },
      handler: ({ input }) => ({
        state: input === 'no' ? 'rejected' : 'failed',
        message: `because of ${input}`,
      }),
    })
    const picky = await serve([agent])
    try {
      const rejected = await cli(['agent', 'send', picky.url, 'no'])
      expect([rejected.code, rejected.err]).toEqual([
        4,
        expect.stringMatching(/task \S+ is rejected: because of no\n$/),
      ])
      const failed = await cli(['agent', 'send', picky.url, 'rain'])
      expect([failed.code, failed.err]).toEqual([
        12,
        expect.stringMatching(/task \S+ is failed: because of rain\n$/),
      ])
      const missing = await cli(['agent', 'send', picky.url, 'x', '--task', 'none'])
      expect([missing.code, missing.err]).toEqual([
        5,
        expect.stringMatching(/does not exist or is not accessible\n$/),
      ])
      const nowhere = await cli(['agent', 'card', `${picky.url}/nothing`])
      expect([nowhere.code, nowhere.err]).toEqual([
        5,
        expect.stringContaining('There is no card of an agent at'),
      ])
    } finally {
      await picky.close()
    }
  })

  test('agent send ends with an error and an exit code if the URL is not valid', async () => {
    expect(await cli(['agent', 'send', 'ftp://agents.example', 'hello'])).toMatchObject({
      code: 3,
      err: expect.stringContaining('must be an http: or https: URL'),
    })
  })
})

describe('an agent that cannot be reached', () => {
  const commandsFor = (url: string) => [
    ['agent', 'card', url],
    ['agent', 'send', url, 'hello'],
    ['agent', 'tasks', url],
  ]

  test('every command says to start the agent or to correct the URL if nothing listens', async () => {
    await server.close()
    for (const args of commandsFor(server.url)) {
      const { code, out, err } = await cli(args)
      expect([code, out, err]).toEqual([
        13,
        '',
        `contacts 127.0.0.1:${server.port}
error (network): The agent at 127.0.0.1:${server.port} cannot be reached
Nothing listens there: start the agent (modelport agent serve), or correct the host and port of its URL.
`,
      ])
    }
  })

  test('every command says to check the spelling of a host name that does not resolve', async () => {
    for (const args of commandsFor('http://no-such-host.invalid')) {
      const { code, err } = await cli([...args, '--json'])
      const { error } = JSON.parse(err.trim().split('\n').at(-1) ?? '') as { error: unknown }
      expect([code, error]).toEqual([
        13,
        {
          code: 'network',
          message: 'The agent at no-such-host.invalid:80 cannot be reached',
          fix: 'The host name does not resolve: check its spelling in the URL of the agent, and the network.',
        },
      ])
    }
  })

  test('the advice fits a server that redirects, one that speaks no TLS, and a response that is too large', async () => {
    const web = createServer(({ url }, response) => {
      if (url?.startsWith('/large')) response.end(' '.repeat(32 * 2 ** 20 + 1))
      else response.writeHead(302, { location: '/elsewhere' }).end()
    })
    await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(web.address() as AddressInfo).port}`
    try {
      expect((await cli(['agent', 'card', `http://${host}`])).err).toContain(
        `redirects to http://${host}, which is not followed\nPass the URL that it redirects to`,
      )
      expect((await cli(['agent', 'card', `https://${host}`])).err).toContain(
        'its URL is right (http or https,',
      )
      expect(await cli(['agent', 'card', `http://${host}/large`])).toMatchObject({
        code: 16,
        err: expect.stringMatching(/response has more than 33554432 bytes\n$/),
      })
    } finally {
      web.close()
    }
  })
})

describe('agent card and agent tasks', () => {
  test('agent card shows the card with its skills', async () => {
    const { code, out } = await cli(['agent', 'card', server.url])
    expect([code, out]).toEqual([0, 'janitor  Cleans up\n  remove  Removes everything\n'])
    const { out: json } = await cli(['agent', 'card', server.url, '--json'])
    expect(JSON.parse(json)).toMatchObject({ name: 'janitor', skills: [{ id: 'remove' }] })
  })

  test('agent card shows the extended card to a caller with a token, and says why others do not get it', async () => {
    const agent = createAgent({
      card: { name: 'janitor', description: 'Cleans up' },
      handler: () => 'done',
      extendedCard: (name) => ({ name: 'janitor', description: `Cleans up for ${name}` }),
    })
    const authentication = [{ type: 'bearer', tokens: [{ token, principal: 'alice' }] }] as const
    const guarded = await serve([agent], { authentication })
    const show = (url: string, given: string) =>
      cli(['agent', 'card', url, '--extended', '--token-env', 'TOKEN'], {
        environment: { TOKEN: given },
      })
    try {
      const { code, out, err } = await show(guarded.url, token)
      expect([code, out, err]).toEqual([
        0,
        'janitor  Cleans up for alice\n',
        expect.not.stringContaining(token),
      ])
      expect((await show(guarded.url, 'a guess')).code).toBe(4)
      expect(await show(server.url, token)).toMatchObject({
        code: 17,
        err: expect.stringContaining('The agent has no extended card'),
      })
      expect(await cli(['agent', 'card', guarded.url, '--extended'])).toMatchObject({
        code: 2,
        err: expect.stringContaining('--extended needs --token-env'),
      })
    } finally {
      await guarded.close()
    }
  })

  test('agent tasks lists the latest tasks up to the limit, and says if there are none', async () => {
    expect((await cli(['agent', 'tasks', server.url])).out).toBe('the agent has no tasks for you\n')
    await cli(['agent', 'send', server.url, 'one'])
    await cli(['agent', 'send', server.url, 'two'])
    const { out, err } = await cli(['agent', 'tasks', server.url, '--limit', '1'])
    expect(out).toMatch(/^\S+ {2}completed {2}\S+ {2}\S+\n$/)
    expect(err).toContain('2 tasks in all')
  })
})

/** Serves a file, runs `use` with the URL, and interrupts. */
async function whileServing(
  args: readonly string[],
  use: (url: string) => Promise<void>,
): Promise<Outcome> {
  let onUrl: (url: string) => void = () => undefined
  const url = new Promise<string>((resolve) => {
    onUrl = resolve
  })
  const running = startCommand(['agent', 'serve', ...args], {
    home: home.path,
    stdin: '',
    environment: { TOKEN: token, MY_KEY: key },
    onOutput: (text) => {
      const [found] = /http:\/\/\S+/.exec(text) ?? []
      if (found !== undefined) onUrl(found)
    },
  })
  const outcome = await Promise.race([url, running.done])
  if (typeof outcome !== 'string') return outcome
  try {
    await use(outcome)
  } finally {
    running.interrupt()
  }
  return running.done
}

describe('agent serve', () => {
  test('agent serve serves the agents of a module until it is interrupted', async () => {
    const file = join(home.path, 'agents.mjs')
    writeFileSync(
      file,
      `const settings = { card: { name: 'echo', description: 'Repeats' }, handler: ({ input }) => 'heard ' + input }
const card = { ...${JSON.stringify(createAgent({ card: { name: 'echo', description: 'Repeats' }, handler: () => '' }).card)} }
export default [{ name: 'echo', card, settings }]`,
    )
    const { code } = await whileServing([file], async (url) => {
      expect((await cli(['agent', 'send', url, 'this'])).out).toBe('heard this\n')
    })
    expect(code).toBe(0)
  })

  test('agent serve says which package a module lacks, and how to install it', async () => {
    const file = join(home.path, 'lacks.mjs')
    writeFileSync(file, "import '@modelport/no-such'")
    const { code, err } = await cli(['agent', 'serve', file])
    expect(code).toBe(3)
    expect(err).toContain("Cannot find package '@modelport/no-such'")
    expect(err).toContain(`${installAdvice('@modelport/no-such')}, in the folder of the file`)
  })

  test('agent serve serves a card with a model of the configuration, and asks callers for the token', async () => {
    const file = join(home.path, 'agent.yaml')
    writeFileSync(
      file,
      'card: { name: helper, description: Helps }\nmodel: main\nsystem: Be brief.\n',
    )
    await whileServing([file, '--token-env', 'TOKEN'], async (url) => {
      expect((await cli(['agent', 'send', url, 'hello'])).code).toBe(4)
      const world = { environment: { TOKEN: token } }
      const { code, out, err } = await cli(
        ['agent', 'send', url, 'plain', '--token-env', 'TOKEN'],
        world,
      )
      expect([code, out, err]).toEqual([0, 'Plain text\n', expect.not.stringContaining(token)])
    })
    expect((await cli(['agent', 'serve', file, '--token-env', 'NOT_SET'])).code).toBe(2)
  })

  test('agent serve asks for --token-env when it is to listen beyond loopback without authentication', async () => {
    const file = join(home.path, 'agent.yaml')
    writeFileSync(file, 'card: { name: helper, description: Helps }\nmodel: main\n')
    const open = await cli(['agent', 'serve', file, '--host', '0.0.0.0'], {
      environment: { MY_KEY: key },
    })
    expect(open).toMatchObject({
      code: 2,
      out: '',
      err: expect.stringMatching(
        /--host 0\.0\.0\.0 needs authentication: .* name it with --token-env, or listen at 127/,
      ),
    })
  })

  test('agent serve names the file and the field of an agent that is not valid', async () => {
    const file = join(home.path, 'agent.yaml')
    writeFileSync(file, 'card: { name: helper, description: Helps }\nmodle: main\n')
    expect(await cli(['agent', 'serve', file])).toMatchObject({
      code: 3,
      err: expect.stringContaining('agent.yaml: the field "modle" is unknown; known: card, model'),
    })
    const module = join(home.path, 'no-agent.mjs')
    writeFileSync(module, 'export default 7')
    expect(await cli(['agent', 'serve', module])).toMatchObject({
      code: 3,
      err: expect.stringContaining('the default export must be an agent or a list of agents'),
    })
  })
})

test('hosts --agent lists the host of an agent next to those of a model, without contacting it', async () => {
  const args = ['hosts', '--agent', 'https://agents.example/a/weather']
  const listed = await cli(args, { environment: { MY_KEY: key } })
  expect(listed.out.trim().split('\n')).toEqual([
    expect.stringMatching(/^127\.0\.0\.1:\d+/),
    'agents.example:443',
  ])
  const { code, out } = await cli(args, { home: join(home.path, 'empty') })
  expect([code, out]).toEqual([0, 'agents.example:443\n'])
})
