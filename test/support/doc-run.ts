import { format } from 'node:util'
import { expect, vi } from 'vitest'
import type { DocBlock } from './doc-blocks.js'
import { knownReplies } from './doc-model.js'
import { escaped, isPrinted, showsAction, tidy } from './printed-text.js'

/** Imports a program and returns what it wrote to the terminal, of both streams. */
export async function printedBy(file: string): Promise<string> {
  let printed = ''
  const line = (...values: unknown[]): void => {
    printed += `${format(...values)}\n`
  }
  const write = (chunk: unknown): boolean => {
    printed += String(chunk)
    return true
  }
  const spies = [
    ...(['log', 'error', 'warn', 'info', 'table'] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(line),
    ),
    vi.spyOn(process.stdout, 'write').mockImplementation(write),
    vi.spyOn(process.stderr, 'write').mockImplementation(write),
  ]
  try {
    await import(/* @vite-ignore */ file)
  } finally {
    for (const spy of spies) spy.mockRestore()
  }
  return tidy(printed)
}

/** Compares what a block printed with what the page says that it prints. */
export function expectPrinted(block: DocBlock, printed: string): void {
  const where = `${block.page}:${block.line}`
  expect(showsAction(printed), `${where} prints an action in place of its text: ${printed}`).toBe(
    false,
  )
  if (block.prints === undefined) {
    expect(printed, `${where} has no text block of its output`).toBe('')
    return
  }
  expectPrints(block.prints, printed, where)
}

/** Compares an output with the text of a page, where `…` stands for anything. */
export function expectPrints(prints: string, printed: string, where: string): void {
  expect(printed.trim(), `${where} prints nothing`).not.toBe('')
  if (!isPrinted(prints, printed)) expect(printed, where).toBe(tidy(prints))
}

/**
 * The same for a real model: its words and all numbers may differ, and it may have been cut off.
 */
export function expectShape(block: DocBlock, printed: string): void {
  const where = `${block.page}:${block.line}`
  expect(showsAction(printed), `${where} prints an action in place of its text: ${printed}`).toBe(
    false,
  )
  expect(printed.trim(), `${where} prints nothing`).not.toBe('')
  const words = [...block.replies, ...knownReplies].map(escaped).join('|')
  const pattern = tidy(block.prints ?? '')
    .split(new RegExp(words))
    .map((text) =>
      escaped(text)
        .replaceAll('…', '[^]*?')
        .replace(/\d+/g, '\\d+')
        .replace('stop', '(?:stop|length)'),
    )
    .join('[^]*?\\S[^]*?')
  expect(printed, where).toMatch(new RegExp(`^${pattern}$`))
}
