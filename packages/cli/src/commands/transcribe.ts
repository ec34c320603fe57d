import { newTranscriber } from '@modelport/factory'
import type { Cli } from '../context/cli.js'
import { given } from '../context/given.js'
import { exitCodes } from '../errors/exit-codes.js'
import { readMediaFile } from '../files/media-file.js'
import { withProgress } from '../terminal/progress.js'
import { type MediaFlags, pickForRole, toRequestOptions } from './media-options.js'

/** Options of `modelport transcribe`. */
export interface TranscribeFlags extends MediaFlags {
  readonly language?: string
  readonly prompt?: string
  readonly timestamps?: 'segment' | 'word'
}

/** Runs `modelport transcribe`; resolves to the exit code. */
export async function transcribe(cli: Cli, file: string, flags: TranscribeFlags): Promise<number> {
  const { timestamps } = flags
  const { out, err } = cli
  const model = await pickForRole(cli, flags, 'transcription')
  const audio = await readMediaFile(file, 'audio')
  const transcriber = await newTranscriber(model.config, cli.context)
  const transcript = await withProgress(err, 'waiting for the transcript', () =>
    transcriber.transcribe(audio, {
      ...given(flags, 'language', 'prompt', 'timestamps'),
      ...toRequestOptions(cli, flags),
    }),
  )
  const spans = transcript.segments ?? transcript.words
  if (cli.json) out.json({ ...transcript, model: transcriber.model })
  else if (timestamps && spans)
    for (const { start, end, text } of spans) out.line(`${toTime(start)} - ${toTime(end)}  ${out.foreign(text.trim())}`)
  else out.line(out.foreign(transcript.text))
  return exitCodes.done
}

/** Seconds as `01:02.50`. */
const toTime = (seconds: number): string =>
  `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${(seconds % 60).toFixed(2).padStart(5, '0')}`
