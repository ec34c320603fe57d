import type { Cli } from '../context/cli.js'
import { UsageError } from '../errors/exit-codes.js'

/**
 * The prompt of the arguments, followed by an empty line and the piped input, if there is any.
 * @param mayBeEmpty false refuses an empty one
 */
export async function readPrompt(
  { io, signal }: Cli,
  words: readonly string[],
  mayBeEmpty: boolean = false,
): Promise<string> {
  const given = words.join(' ')
  const piped = io.stdin.isTTY ? '' : await readAll(io.stdin, signal)
  if (piped.includes('\0'))
    throw new UsageError(
      'the input has a NUL character, as binary files do; pipe in text, and give images with --image',
    )
  const prompt = [given, piped.trimEnd()].filter(Boolean).join('\n\n')
  if (!prompt.trim() && !mayBeEmpty)
    throw new UsageError('there is no prompt; give it as arguments, or pipe it in')
  return prompt
}

/** Maximum bytes that are read from the input: more than any model takes. */
const maxInputBytes = 67_108_864

/**
 * Everything of an input, as text.
 * @throws {UsageError} It has more than {@link maxInputBytes}, or is not UTF-8.
 */
export async function readAll(input: Cli['io']['stdin'], signal: AbortSignal): Promise<string> {
  const stop = (): void => {
    input.destroy()
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    const chunks: Uint8Array[] = []
    let length = 0
    for await (const chunk of input as AsyncIterable<Uint8Array | string>) {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
      length += bytes.length
      if (length > maxInputBytes) {
        input.destroy()
        throw new UsageError(`the input has more than ${maxInputBytes} bytes; pipe in less`)
      }
      chunks.push(bytes)
    }
    return toText(Buffer.concat(chunks))
  } finally {
    signal.removeEventListener('abort', stop)
    signal.throwIfAborted()
  }
}

/** A model must not get a text that is not the one of the input. */
function toText(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch (cause) {
    throw new UsageError(
      'the input is not UTF-8 text; convert it first, for example with iconv -f latin1 -t utf-8',
      { cause },
    )
  }
}
