import { extname } from 'node:path'
import type { SpeechOptions } from '@modelport/core'
import { newSpeechGenerator } from '@modelport/factory'
import type { Cli } from '../context/cli.js'
import { given } from '../context/given.js'
import { exitCodes } from '../errors/exit-codes.js'
import { checkOutputs, endingOf, writeMediaFile } from '../files/media-file.js'
import { withProgress } from '../terminal/progress.js'
import { type MediaFlags, pickForRole, toRequestOptions } from './media-options.js'
import { readPrompt } from './read-prompt.js'

/** Options of `modelport speak`. */
export interface SpeakFlags extends MediaFlags {
  readonly out: string
  readonly voice?: string
  readonly format?: NonNullable<SpeechOptions['format']>
  readonly speed?: number
  readonly instructions?: string
  readonly force?: boolean
}

/** Runs `modelport speak`; resolves to the exit code. */
export async function speak(cli: Cli, words: readonly string[], flags: SpeakFlags): Promise<number> {
  const { out, format, force = false } = flags
  const model = await pickForRole(cli, flags, 'speech')
  const text = await readPrompt(cli, words)
  await checkOutputs([extname(out) ? out : `${out}.${format ?? 'mp3'}`], force)
  const generator = await newSpeechGenerator(model.config, cli.context)
  const speech = await withProgress(cli.err, 'waiting for the speech', () =>
    generator.speak(text, {
      ...given(flags, 'voice', 'format', 'speed', 'instructions'),
      ...toRequestOptions(cli, flags),
    }),
  )
  const path = extname(out) ? out : `${out}${endingOf(speech.mediaType)}`
  await checkOutputs([path], force)
  await writeMediaFile(path, speech)
  const { mediaType, data, usage } = speech
  if (cli.json) cli.out.json({ path, mediaType, bytes: data.length, model: generator.model, usage })
  else cli.out.line(cli.out.foreign(path))
  return exitCodes.done
}
