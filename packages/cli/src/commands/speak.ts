import { extname } from 'node:path'
import type { SpeechOptions } from '@modelport/core'
import { newSpeechGenerator } from '@modelport/factory'
import type { Command } from 'commander'
import { exitCodes } from '../errors/exit-codes.js'
import { checkOutputs, endingOf, writeMediaFile } from '../files/media-file.js'
import type { Cli } from '../context/cli.js'
import { withProgress } from '../terminal/progress.js'
import { toNumber } from './call-options.js'
import { type MediaFlags, pickForRole, toRequestOptions, withMediaOptions } from './media-options.js'
import { readPrompt } from './read-prompt.js'
import type { Start } from '../context/start.js'

interface SpeakFlags extends MediaFlags {
  readonly out: string
  readonly voice?: string
  readonly format?: NonNullable<SpeechOptions['format']>
  readonly speed?: number
  readonly instructions?: string
  readonly force?: boolean
}

/** `modelport speak`: speaks a text into a file. */
export function addSpeak(program: Command, start: Start): void {
  withMediaOptions(
    program.command('speak').argument('[text...]', 'what to say; what is piped in comes after it'),
    'speech',
  )
    .description('speak a text, and write the sound to a file')
    .option('-o, --out <file>', 'where to write; without an ending it follows the format', 'speech')
    .option('--voice <name>', "the vendor's name of the voice")
    .option('--format <name>', 'mp3, opus, aac, flac, wav or pcm')
    .option('--speed <number>', '1 is the speed of the voice', toNumber)
    .option('--instructions <text>', 'how to speak')
    .option('--force', 'replace a file that exists')
    .action((text: string[], flags: SpeakFlags) => start(flags, (cli) => speak(cli, text, flags)))
}

async function speak(cli: Cli, words: readonly string[], flags: SpeakFlags): Promise<number> {
  const { out, voice, format, speed, instructions, force = false } = flags
  const model = await pickForRole(cli, flags, 'speech')
  const text = await readPrompt(cli, words)
  await checkOutputs([extname(out) ? out : `${out}.${format ?? 'mp3'}`], force)
  const generator = await newSpeechGenerator(model.config, cli.context)
  const speech = await withProgress(cli.err, 'waiting for the speech', () =>
    generator.speak(text, {
      ...(voice !== undefined && { voice }),
      ...(format !== undefined && { format }),
      ...(speed !== undefined && { speed }),
      ...(instructions !== undefined && { instructions }),
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
