import postgres from 'postgres'
import { expect, inject, test } from 'vitest'
import { openPostgresStore } from '../src/postgres/postgres.js'
import { finalResult } from './support/journal-entries.js'
import './support/shared-server.js'

const url = inject('postgresUrl')
if (url === '') console.log('skipped: PostgreSQL is not installed')

test.skipIf(url === '')(
  'texts with backslashes and quotes are kept where the server takes backslashes for signs',
  async () => {
    const name = `strings_${process.pid}`
    const server = postgres(url, { max: 1, onnotice: () => undefined })
    await server.unsafe(`CREATE DATABASE ${name}`)
    await server.unsafe(`ALTER DATABASE ${name} SET standard_conforming_strings = off`)
    const own = new URL(url)
    own.pathname = `/${name}`
    const text = "C:\\new\\'; DROP TABLE runs; -- \\\\' \\u0041"
    try {
      const store = await openPostgresStore(own.href)
      await store.runs.run('a', () => Promise.resolve(finalResult(text)))
      await store.close()
      const again = await openPostgresStore(own.href)
      const kept = await again.runs.run('a', () =>
        Promise.reject(new Error('it has ended already')),
      )
      await again.close()
      expect(kept.text).toBe(text)
    } finally {
      await server.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)
      await server.end()
    }
  },
  120_000,
)
