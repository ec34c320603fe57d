import type { WireServer, WireServerOptions } from '@modelport/conformance/wire-server'
import { afterEach, beforeEach } from 'vitest'
import { temporaryFolder } from '../../../test/support/temporary-folder.js'
import { configure, startModel } from './wire.js'

/** What is there in each test. */
export interface SetUp {
  /** A person's folder. */
  readonly home: { readonly path: string }
  /** A server that plays a model. */
  readonly server: Pick<WireServer, 'url' | 'requests' | 'close'> & {
    /** Puts another in its place. */
    restart(options: Partial<WireServerOptions>): Promise<void>
  }
}

/**
 * A home and a server for each test, gone after it however it ends. `fields` writes a configuration
 * of that server, with these in it.
 */
export function useModel({
  fields,
  ...options
}: Partial<WireServerOptions> & { readonly fields?: string } = {}): SetUp {
  let path: string
  let server: WireServer
  beforeEach(async () => {
    path = temporaryFolder('home')
    server = await startModel(options)
    if (fields !== undefined) configure(path, server.url, fields)
  })
  afterEach(async () => {
    await server.close()
  })
  return {
    home: {
      get path() {
        return path
      },
    },
    server: {
      get url() {
        return server.url
      },
      get requests() {
        return server.requests
      },
      close: () => server.close(),
      restart: async (other) => {
        await server.close()
        server = await startModel(other)
      },
    },
  }
}
