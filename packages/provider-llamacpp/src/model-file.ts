import { open, realpath } from 'node:fs/promises'
import { basename } from 'node:path'
import { toError } from './error.js'

/**
 * The name of a model file, without folder and ending.
 * @throws {LlmError} `config` — there is no path.
 */
export function modelName(path: unknown): string {
  if (typeof path !== 'string' || !path)
    throw toError('config', 'modelPath is missing; give the path of a GGUF file')
  return basename(path).replace(/\.gguf$/i, '')
}

/**
 * The file's real path, once it is sure that it is a GGUF file.
 * @throws {LlmError} `config` — it is not there, cannot be read, or is something else.
 * @see https://github.com/ggml-org/ggml/blob/master/docs/gguf.md (read 2026-11-21)
 */
export async function checkModelFile(path: string): Promise<string> {
  let start: Uint8Array
  let real: string
  try {
    real = await realpath(path)
    const file = await open(real)
    try {
      const { buffer, bytesRead } = await file.read(new Uint8Array(4), 0, 4, 0)
      start = buffer.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException
    if (code === 'ENOENT')
      throw toError(
        'config',
        `modelPath: there is no file ${path}; download a GGUF file and give its path`,
        'missing-file',
        cause,
      )
    throw toError(
      'config',
      `modelPath: ${path} cannot be read: ${message}`,
      'unreadable-file',
      cause,
    )
  }
  if (String.fromCharCode(...start) !== 'GGUF') {
    throw toError(
      'config',
      `modelPath: ${path} is not a GGUF file: it does not begin with "GGUF"; convert the model, or take a .gguf file`,
      'wrong-format',
    )
  }
  return real
}
