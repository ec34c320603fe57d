import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import pixelmatch from 'pixelmatch'
import type { Page } from 'playwright-core'
import { PNG } from 'pngjs'
import { expect } from 'vitest'

const folder = new URL('../../../docs/pictures/', import.meta.url)
/** True when the pictures are written anew instead of compared. */
export const isUpdate: boolean = process.env['MODELPORT_PICTURES'] === 'update'

/** The font of the pictures; with another one every letter differs. */
const hasFont = existsSync('/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf')
if (!hasFont)
  console.log('skipped: the pictures of docs/studio.md are compared only with the font DejaVu Sans')

/** Share of the pixels that may differ: times and bars of a run are never twice the same. */
const tolerance = 0.06

/**
 * Compares the page with its picture in docs/pictures, or writes the picture with
 * MODELPORT_PICTURES=update. So the pictures of the documentation show the page as it is.
 */
export async function expectPicture(page: Page, name: string): Promise<void> {
  await page.evaluate(() => document.fonts.ready)
  const taken = await page.screenshot()
  const file = new URL(`studio-${name}.png`, folder)
  if (isUpdate) {
    await mkdir(folder, { recursive: true })
    await writeFile(file, taken)
    return
  }
  if (!hasFont) return
  const [now, kept] = [PNG.sync.read(taken), PNG.sync.read(await readFile(file))]
  expect([now.width, now.height], name).toEqual([kept.width, kept.height])
  const differing = pixelmatch(now.data, kept.data, undefined, now.width, now.height, {
    threshold: 0.2,
  })
  expect(
    differing / (now.width * now.height),
    `${name} differs; look at it, then update with MODELPORT_PICTURES=update`,
  ).toBeLessThan(tolerance)
}
