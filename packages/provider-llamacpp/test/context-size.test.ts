import { availableParallelism } from 'node:os'
import type { LlamaModel } from 'node-llama-cpp'
import { describe, expect, test } from 'vitest'
import { toContextSize } from '../src/context-size.js'

const threadsOn = (physicalCores: number, threads?: number): number =>
  toContextSize({ trainContextSize: 512, llama: { cpuMathCores: physicalCores } } as LlamaModel, {
    ...(threads !== undefined && { threads }),
  }).threads

describe('threads', () => {
  test('one physical core is left for the rest of the program, and one thread always computes', () => {
    expect(threadsOn(1)).toBe(1)
    expect(threadsOn(2)).toBe(1)
    expect(threadsOn(4)).toBe(Math.max(1, Math.min(4, availableParallelism()) - 1))
    expect(threadsOn(1024)).toBe(Math.max(1, availableParallelism() - 1))
  })

  test('a number that is set is taken as it is', () => {
    expect(threadsOn(2, 6)).toBe(6)
  })
})
