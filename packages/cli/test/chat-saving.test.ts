import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useModel } from './set-up.js'
import { command, type Outcome } from './test-io.js'
import { key } from './wire.js'

const { home } = useModel({ fields: '' })
const folder = (): string => join(home.path, '.local/state/modelport/sessions')
const chat = (
  args: readonly string[],
  stdin: string,
  onOutput: (text: string) => void = () => undefined,
): Promise<Outcome> =>
  command(['chat', ...args], { home: home.path, stdin, environment: { MY_KEY: key }, onOutput })
const lines = (text: string): Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

describe('a chat that cannot be saved', () => {
  test('a chat that cannot be saved says why, after the reply; its recording is still kept', async () => {
    const [taken, recorded] = [join(home.path, 'taken'), join(home.path, 'chat.json')]
    writeFileSync(taken, '')
    expect(await chat(['--sessions', taken], 'plain one\nplain two\n')).toMatchObject({
      code: 1,
      out: 'Plain text\n',
      err: expect.stringMatching(/^error: \S+taken\/\S+\.1\.json: not a folder\n$/) as string,
    })
    const { err } = await chat(['--sessions', taken, '--record', recorded], 'plain one\n')
    expect(err).toContain('recorded 1 exchange')
    expect(err).not.toContain('ends before')
    expect(readFileSync(recorded, 'utf8')).toContain('plain one')
  })
})

describe('a chat that another process continued', () => {
  /**
   * As another process would save it: after the second answer there is a save that this one did not
   * make.
   */
  const savedElsewhere = (): ((text: string) => void) => {
    let answers = 0
    return (text) => {
      if (!text.includes(' text') || ++answers !== 2) return
      const [name = ''] = readdirSync(folder())
      renameSync(join(folder(), name), join(folder(), name.replace('.1.json', '.2.json')))
    }
  }
  const ids = async (): Promise<Record<string, number>> => {
    const { sessions } = JSON.parse(
      (await command(['sessions', '--json'], { home: home.path, stdin: '' })).out,
    ) as {
      sessions: { id: string; messages: number }[]
    }
    return Object.fromEntries(sessions.map(({ id, messages }) => [id, messages]))
  }

  test('a chat that another process continued is saved under another id, which it says', async () => {
    const { code, err } = await chat([], 'plain one\nplain two\nplain three\n', savedElsewhere())
    const [, first = '', other = ''] =
      /^(\S+) was saved or deleted by another process meanwhile; this chat is saved as (\S+) from here on\n$/.exec(
        err,
      ) ?? []
    expect(code).toBe(0)
    expect(await ids()).toEqual({ [first]: 2, [other]: 6 })
    expect(
      (JSON.parse(readFileSync(join(folder(), `${other}.2.json`), 'utf8')) as { id: string }).id,
    ).toBe(other)
  })

  test('with --json, an event says the new id', async () => {
    const events = lines(
      (await chat(['--json'], 'plain one\nplain two\n', savedElsewhere())).out,
    ).filter(({ type }) => type === 'session')
    expect(events).toEqual([
      { type: 'session', id: events[0]?.['id'], model: 'main', messages: 0 },
      {
        type: 'session',
        id: events[1]?.['id'],
        model: 'main',
        messages: 4,
        instead: events[0]?.['id'],
      },
    ])
    expect(await ids()).toEqual({
      [events[0]?.['id'] as string]: 2,
      [events[1]?.['id'] as string]: 4,
    })
  })
})
