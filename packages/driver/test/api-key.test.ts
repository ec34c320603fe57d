import { isLlmError } from '@modelport/core'
import { checkApiKey } from '@modelport/driver'
import { expect, test } from 'vitest'
import { reportFault } from '../../../test/support/faults.js'

const start = 'sk-start-'
const end = '-end'
const positions = {
  first: (character: string) => character + end,
  middle: (character: string) => start + character + end,
  last: (character: string) => start + character,
}

function outcome(key: string): string {
  try {
    return checkApiKey(key, 'p')
  } catch (error) {
    if (!isLlmError(error, 'config')) throw error
    return `refused: ${error.message}`
  }
}

/**
 * What must come of a key: itself, without white space around it, or its refusal, which names the
 * position and shows nothing.
 */
function isRight(key: string, visible: boolean, position: number): boolean {
  const found = outcome(key)
  if (visible) return found === key
  const trimmed = key.trim()
  // White space around a key is stripped.
  if (trimmed.length < key.length) return found === trimmed
  return (
    found.startsWith(
      `refused: p: the API key has an invalid character at position ${position}: `,
    ) &&
    !found.includes('start') &&
    !found.includes(end)
  )
}

test('every UTF-16 code unit of a key is visible ASCII, or is refused by its position, wherever it stands', () => {
  const wrong: string[] = []
  for (let code = 0; code < 65_536; code++) {
    const visible = code >= 0x21 && code <= 0x7e
    for (const [place, make] of Object.entries(positions)) {
      if (!isRight(make(String.fromCharCode(code)), visible, place === 'first' ? 0 : start.length))
        wrong.push(`${code} ${place}`)
    }
  }
  expect(wrong).toEqual([])
  reportFault('K3', { 'keys tried': 65_536 * 3, wrong: wrong.length })
})

test('a key is trimmed, and has 1 to 4096 characters', () => {
  expect(outcome('  sk-1\n')).toBe('sk-1')
  expect(outcome('k'.repeat(4096))).toHaveLength(4096)
  expect(outcome('k'.repeat(4097))).toBe('refused: p: the API key is longer than 4096 characters')
  expect(outcome(' \n')).toBe(
    'refused: p: the API key is empty: pass it as apiKey; only newProvider reads it from a variable',
  )
})
