import { describe, expect, test } from 'vitest'
import { checkSettings, nearest } from '../src/settings.js'

describe('nearest', () => {
  test.each([
    ['opneai', ['openai', 'ollama'], 'openai'],
    ['baseURL', ['model', 'baseUrl'], 'baseUrl'],
    ['maxOutputTokens', ['maxSteps', 'maxTokens'], 'maxTokens'],
    ['zzz', ['openai'], undefined],
    ['', ['openai'], undefined],
  ])('the name nearest to %j among %j is %j', (name, known, near) => {
    expect(nearest(name, known)).toBe(near)
  })
})

describe('checkSettings', () => {
  const check = (given: object) => () =>
    checkSettings('createThing', given, ['file', 'leaseMs'], { defaults: ['retry', 'maxTokens'] })

  test.each([
    [{ leasems: 1 }, 'createThing: unknown setting "leasems"; did you mean "leaseMs"?'],
    [{ retry: {} }, 'createThing: unknown setting "retry"; set defaults.retry'],
    [{ maxOutputTokens: 9 }, 'createThing: unknown setting "maxOutputTokens"; set defaults.maxTokens'],
    [{ colour: 'red' }, 'createThing: unknown setting "colour"; known: file, leaseMs'],
  ])('refuses %j and says what was meant', (given, message) => {
    expect(check(given)).toThrow(new TypeError(message))
  })

  test('passes known settings, and unknown ones that are undefined', () => {
    expect(check({ file: 'a', leaseMs: 2, retry: undefined })).not.toThrow()
  })
})
