import { isLlmError } from '@modelport/core'
import { checkApiKey } from '@modelport/driver'
import { expect, test } from 'vitest'
import { reportFault } from '../../../test/support/faults.js'

const start = 'sk-start-'
const end = '-end'
const positions = { first: (character: string) => character + end, middle: (character: string) => start + character + end, last: (character: string) => start + character }

function outcome(key: string): string {
  try {
    return checkApiKey(key, 'p')
  } catch (error) {
    if (!isLlmError(error, 'config')) throw error
    return `refused: ${error.message}`
  }
}

test('every UTF-16 code unit at the start, in the middle and at the end: visible ASCII, or refused by its position', () => {
  let refused = 0
  for (let code = 0; code < 65_536; code++) {
    const character = String.fromCharCode(code)
    const visible = code >= 0x21 && code <= 0x7e
    for (const [place, make] of Object.entries(positions)) {
      const key = make(character)
      const found = outcome(key)
      // White space around a key is no part of it.
      const expected = visible ? key : character.trim() === '' && place !== 'middle' ? key.trim() : undefined
      if (expected !== undefined) expect(found).toBe(expected)
      else {
        refused++
        const position = { first: 0, middle: start.length, last: start.length }[place]
        expect(found).toMatch(new RegExp(`^refused: p: the API key has a character at position ${position} `))
        expect(found).not.toContain('start')
        expect(found).not.toContain(end)
      }
    }
  }
  reportFault('K3', { 'keys tried': 65_536 * 3, 'refused': refused })
})

test('a key is trimmed, and has 1 to 4096 characters', () => {
  expect(outcome('  sk-1\n')).toBe('sk-1')
  expect(outcome('k'.repeat(4096))).toHaveLength(4096)
  expect(outcome('k'.repeat(4097))).toBe('refused: p: the API key is longer than 4096 characters')
  expect(outcome(' \n')).toBe('refused: p: the API key is empty')
})
