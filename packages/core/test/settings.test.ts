import { describe, expect, test } from 'vitest'
import { checkSettings, isLoopback, nearest, suggest } from '../src/settings.js'

describe('nearest', () => {
  test.each([
    ['opneai', ['openai', 'ollama'], 'openai'],
    ['baseURL', ['model', 'baseUrl'], 'baseUrl'],
    ['maxOutputTokens', ['maxSteps', 'maxTokens'], 'maxTokens'],
    ['zzz', ['openai'], undefined],
    ['', ['openai'], undefined],
    ['retry', ['retrys', 'entry'], 'retrys'],
    ['cat', ['car', 'can'], 'car'],
    [`${'a'.repeat(64)}${'x'.repeat(100)}`, ['a'.repeat(64)], 'a'.repeat(64)],
    [
      'a'.repeat(64),
      [`${'a'.repeat(64)}${'x'.repeat(100)}`],
      `${'a'.repeat(64)}${'x'.repeat(100)}`,
    ],
  ])('the name nearest to %j among %j is %j', (name, known, near) => {
    expect(nearest(name, known)).toBe(near)
  })

  test('a name of up to four letters is near another if one letter is added, dropped, changed or swapped with its neighbour', () => {
    const letters = ['a', 'b', 'c']
    const longer = (words: readonly string[]) =>
      words.flatMap((word) => letters.map((letter) => word + letter))
    const three = longer(longer(letters))
    const words = [...letters, ...longer(letters), ...three, ...longer(three)]
    for (const word of words) {
      const typos = new Set([word])
      for (let at = 0; at <= word.length; at++) {
        const [start, letter = '', next = '', end] = [
          word.slice(0, at),
          word[at],
          word[at + 1],
          word.slice(at + 1),
        ]
        for (const added of letters)
          typos.add(start + added + letter + end).add(start + added + end)
        typos.add(start + end).add(start + next + letter + word.slice(at + 2))
      }
      const near = words.filter((other) => nearest(word, [other]) === other)
      expect(near).toEqual(words.filter((other) => typos.has(other)))
    }
  })
})

test.each([
  ['opneai', ['openai', 'ollama'], undefined, '; did you mean "openai"?'],
  ['zzz', ['openai', 'ollama'], undefined, '; known: openai, ollama'],
  ['zzz', [], undefined, '; known: none'],
  ['zzz', ['openai'], '; see the list', '; see the list'],
])(
  'a message about %j, where %j are known, ends with what helps',
  (name, known, otherwise, end) => {
    expect(suggest(name, known, otherwise)).toBe(end)
  },
)

describe('checkSettings', () => {
  const check = (given: object) => () =>
    checkSettings('createThing', given, ['file', 'leaseMs'], { defaults: ['retry', 'maxTokens'] })

  test.each([
    [{ leasems: 1 }, 'createThing: unknown setting "leasems"; did you mean "leaseMs"?'],
    [{ retry: {} }, 'createThing: unknown setting "retry"; set defaults.retry'],
    [
      { maxOutputTokens: 9 },
      'createThing: unknown setting "maxOutputTokens"; set defaults.maxTokens',
    ],
    [{ colour: 'red' }, 'createThing: unknown setting "colour"; known: file, leaseMs'],
  ])('checkSettings refuses %j and says what was meant', (given, message) => {
    expect(check(given)).toThrow(new TypeError(message))
  })

  test.each(['text', 5, null, [{ leaseMs: 1 }]])(
    'checkSettings refuses %j, which is not an object',
    (given) => {
      expect(check(given as never)).toThrow(TypeError)
    },
  )

  const call = ['signal', 'maxTokens', 'retry', 'vendor', 'stop', 'providerTools']
  test.each([
    ['maxOutputTokens', call, 'did you mean "maxTokens"?'],
    ['abortSignal', call, 'did you mean "signal"?'],
    ['maxRetries', call, 'did you mean "retry.attempts"?'],
    ['providerOptions', call, 'did you mean "vendor"?'],
    ['stopSequences', call, 'did you mean "stop"?'],
    ['prompt', ['query', 'messages'], 'did you mean "query"?'],
    ['query', ['schema', 'prompt'], 'did you mean "prompt"?'],
    ['prompt', ['messages', 'tools'], 'did you mean "messages"?'],
    ['inputSchema', ['name', 'parameters'], 'did you mean "parameters"?'],
    ['schema', ['name', 'parameters'], 'did you mean "parameters"?'],
    ['func', ['name', 'execute'], 'did you mean "execute"?'],
    ['maxTurns', ['maxSteps', 'maxTokens'], 'did you mean "maxSteps"?'],
    ['recursionLimit', ['query', 'maxSteps'], 'did you mean "maxSteps"?'],
    ['activeTools', ['afterTools', 'prepareStep'], 'did you mean "prepareStep"?'],
    ['model', ['models', 'provider'], 'did you mean "provider"?'],
    ['systemPrompt', ['system', 'prepareStep'], 'did you mean "system"?'],
    ['prompt', ['system', 'card'], 'did you mean "system"?'],
    ['defaultHeaders', ['defaults', 'headers'], 'did you mean "headers"?'],
    ['host', ['model', 'baseUrl'], 'did you mean "baseUrl"?'],
    ['timeout', ['timeouts', 'signal'], 'did you mean "timeouts"?'],
    ['timeout', ['deadlineMs', 'signal'], 'did you mean "deadlineMs"?'],
    ['maxRetries', ['query', 'options'], 'set options.retry.attempts'],
    ['abortSignal', ['query', 'options'], 'set options.signal'],
    ['constructor', ['query', 'options'], 'known: query, options'],
  ])('checkSettings names what replaces %s of another library among %j', (name, known, hint) => {
    expect(() =>
      checkSettings('f', { [name]: 1 }, known, { options: known.includes('options') ? call : [] }),
    ).toThrow(new TypeError(`f: unknown setting "${name}"; ${hint}`))
  })

  test('checkSettings passes known settings, and unknown ones that are undefined', () => {
    expect(check({ file: 'a', leaseMs: 2, retry: undefined })).not.toThrow()
  })
})

describe('isLoopback', () => {
  test.each(['localhost', '127.0.0.1', '127.1.2.254', '::1', '[::1]'])(
    'isLoopback knows %s as this machine',
    (host) => {
      expect(isLoopback(host)).toBe(true)
    },
  )

  test.each([
    '',
    '0.0.0.0',
    '::',
    '10.0.0.1',
    '127.0.0.1.example.com',
    '127.example.com',
    '127.0.0.1:80',
    'localhost.example.com',
    'app.localhost',
  ])('isLoopback refuses %j', (host) => {
    expect(isLoopback(host)).toBe(false)
  })
})
