import { Buffer } from 'node:buffer'
import { createHash } from 'node:crypto'

/** Maximum bytes of a schema that is part of the name as it is; a name may have 63. */
const longest = 40

/** The channel on which the processes of a schema notify each other. */
export const channelOf = (schema: string): string =>
  Buffer.byteLength(schema) > longest
    ? `modelport_${createHash('sha256').update(schema).digest('hex').slice(0, longest)}`
    : `modelport_${schema}`
