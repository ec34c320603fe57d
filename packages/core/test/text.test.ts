import { errorText, toBase64, toSnake, tryParseJson } from '@modelport/core/text'
import { describe, expect, it } from 'vitest'

describe('errorText', () => {
  it('errorText is the message of an error, and of anything else that has one', () => {
    expect(errorText(new TypeError('the port is closed'))).toBe('the port is closed')
    expect(errorText({ message: 'the port is closed' })).toBe('the port is closed')
  })

  it('errorText is the text of a thrown value without a message', () => {
    expect(errorText('closed')).toBe('closed')
    expect(errorText(undefined)).toBe('undefined')
    expect(errorText({ message: 7 })).toBe('[object Object]')
  })

  it('errorText survives a value that throws when it is asked for its message or its text', () => {
    const hostile = {
      get message(): string {
        throw new Error('asked')
      },
    }
    expect(errorText(hostile)).toBe('something without a message was thrown')
    expect(errorText(Object.create(null))).toBe('something without a message was thrown')
  })
})

describe('text of data', () => {
  it('toSnake writes a name in snake_case', () => {
    expect(toSnake('maxTokensOfAReply')).toBe('max_tokens_of_a_reply')
  })

  it('toBase64 writes bytes, also more of them than a call takes arguments', () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, index) => index % 251)
    expect(toBase64(bytes)).toBe(Buffer.from(bytes).toString('base64'))
  })

  it('tryParseJson returns undefined for a text that is not JSON', () => {
    expect(tryParseJson('{"a":[1]}')).toEqual({ a: [1] })
    expect(tryParseJson('{"a":')).toBeUndefined()
  })
})
