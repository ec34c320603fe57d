import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * What Chromium is called. The shell is the same engine without windows, which takes a quarter less
 * of the processor.
 */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

const isProgram = (path: string): boolean => {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** The program of the Chromium of this machine; undefined if it has none. */
export const chromiumPath: string | undefined = names
  .flatMap((name) =>
    (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name)),
  )
  .find(isProgram)

/** Why what needs Chromium is skipped. */
export const noChromium = `none of ${names.join(', ')} is installed (on Debian: apt-get install chromium)`
