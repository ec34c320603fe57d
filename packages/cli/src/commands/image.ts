import { extname } from 'node:path'
import type { GeneratedImage, ImageOptions } from '@modelport/core'
import { newImageGenerator } from '@modelport/factory'
import type { Cli } from '../context/cli.js'
import { given } from '../context/given.js'
import { exitCodes } from '../errors/exit-codes.js'
import { checkOutputs, endingOf, readMediaFile, writeMediaFile } from '../files/media-file.js'
import { withProgress } from '../terminal/progress.js'
import { formatUsage } from '../terminal/usage-line.js'
import { type MediaFlags, pickForRole, toRequestOptions } from './media-options.js'
import { readPrompt } from './read-prompt.js'

/** Options of `modelport image`. */
export interface ImageFlags
  extends MediaFlags,
    Pick<ImageOptions, 'count' | 'size' | 'aspectRatio' | 'quality' | 'background' | 'format'> {
  readonly out: string
  readonly image?: readonly string[]
  readonly mask?: string
  readonly force?: boolean
}

/** Runs `modelport image`; resolves to the exit code. */
export async function image(cli: Cli, words: readonly string[], flags: ImageFlags): Promise<number> {
  const { context, err } = cli
  const model = await pickForRole(cli, flags, 'image')
  const options = await toImageOptions(flags)
  const prompt = await readPrompt(cli, words)
  // The endings are the vendor's to choose; those that are likely are checked before anything is paid for.
  await checkOutputs(
    namesOf(flags.out, flags.count ?? 1, extname(flags.out) || `.${flags.format ?? 'png'}`),
    flags.force === true,
  )
  const generator = await newImageGenerator(model.config, context)
  const { images, usage } = await withProgress(err, 'waiting for the image', () =>
    generator.generateImages(prompt, { ...options, ...toRequestOptions(cli, flags) }),
  )
  const files = await writeImages(flags, images)
  if (cli.json) cli.out.json({ files, model: generator.model, usage })
  else {
    for (const { path } of files) cli.out.line(cli.out.foreign(path))
    if (usage.reported) err.line(formatUsage(usage, model.profile))
  }
  return exitCodes.done
}

async function toImageOptions(flags: ImageFlags): Promise<ImageOptions> {
  const { image: inputs, mask } = flags
  return {
    ...given(flags, 'count', 'size', 'aspectRatio', 'quality', 'background', 'format'),
    ...(inputs && { images: await Promise.all(inputs.map((path) => readMediaFile(path, 'image'))) }),
    ...(mask !== undefined && { mask: await readMediaFile(mask, 'image') }),
  }
}

interface WrittenImage {
  readonly path: string
  readonly mediaType: string
  readonly bytes: number
  readonly revisedPrompt?: string
}

async function writeImages({ out, force }: ImageFlags, images: readonly GeneratedImage[]): Promise<WrittenImage[]> {
  const files = images.map((made, index) => ({
    made,
    path: namesOf(out, images.length, extname(out) || endingOf(made.mediaType))[index] ?? out,
  }))
  await checkOutputs(
    files.map(({ path }) => path),
    force === true,
  )
  const written: WrittenImage[] = []
  for (const { made, path } of files) {
    await writeMediaFile(path, made)
    const { mediaType, data, revisedPrompt } = made
    written.push({ path, mediaType, bytes: data.length, ...(revisedPrompt !== undefined && { revisedPrompt }) })
  }
  return written
}

/** `cat.png`, or `cat-1.png` and `cat-2.png`. */
function namesOf(out: string, count: number, ending: string): string[] {
  const stem = extname(out) ? out.slice(0, -extname(out).length) : out
  return Array.from({ length: count }, (_, index) => (count > 1 ? `${stem}-${index + 1}${ending}` : `${stem}${ending}`))
}
