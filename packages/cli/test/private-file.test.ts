import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { writePrivateFile } from '../src/files/private-file.js'

let home: string
beforeEach(() => {
  home = temporaryFolder('home')
})

describe('a private file', () => {
  test('a private file takes the place of one that others could read, and of a link, not of what the link leads to', async () => {
    const [file, target, link] = ['file', 'target', 'link'].map((name) => join(home, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(file, 'old', { mode: 0o644 })
    writeFileSync(target, 'untouched')
    symlinkSync(target, link)
    for (const path of [file, link]) await writePrivateFile(path, 'new')
    expect([file, target, link].map((path) => readFileSync(path, 'utf8'))).toEqual([
      'new',
      'untouched',
      'new',
    ])
    expect(statSync(file).mode & 0o777).toBe(0o600)
  })

  test('a private file that cannot be written leaves nothing behind', async () => {
    const folder = join(home, 'folder')
    mkdirSync(join(folder, 'taken'), { recursive: true })
    await expect(writePrivateFile(join(folder, 'taken'), 'x')).rejects.toMatchObject({
      path: join(folder, 'taken'),
    })
    expect(readdirSync(folder)).toEqual(['taken'])
  })

  test('one of many writers at once wins, with its whole file', async () => {
    const file = join(home, 'file')
    const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(10_000))
    await Promise.all(texts.map((text) => writePrivateFile(file, text)))
    expect(texts).toContain(readFileSync(file, 'utf8'))
    expect(readdirSync(home)).toEqual(['file'])
  })
})
