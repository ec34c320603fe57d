import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

/** The rooms of the page, lowest first: each imports from those before it. */
const rooms = ['parts', 'link', 'setup', 'run', 'chat', 'find']

const page = fileURLToPath(new URL('../src/page/', import.meta.url))

test('each room of the page imports from the rooms before it only', () => {
  const wrong = rooms.flatMap((room, place) =>
    readdirSync(`${page}${room}`).flatMap((file) => {
      const text = readFileSync(`${page}${room}/${file}`, 'utf8')
      const targets = [...text.matchAll(/'\.\.\/([\w-]+)/g)].map(([, target = '']) => target)
      const allowed = ['..', ...rooms.slice(0, place)]
      return targets
        .filter((target) => !allowed.includes(target))
        .map((target) => `${room}/${file} imports from ${target}`)
    }),
  )
  expect(wrong).toEqual([])
})

test('every file of the page is in a room, but the frame around the views', () => {
  const entries = readdirSync(page).filter((entry) => !rooms.includes(entry))
  expect(entries.sort()).toEqual(['app.css', 'app.tsx', 'css', 'index.html', 'main.tsx'])
})
