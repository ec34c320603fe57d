import { sha256 } from '@noble/hashes/sha2.js'
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js'
import { canonicalJson } from './canonical-json.js'

/** SHA-256 of a value's JSON, in hexadecimal; the order of keys counts. */
export const jsonHash = (value: unknown): string => hashOf(JSON.stringify(value))

/** SHA-256 of a value's JSON, in hexadecimal, whatever the order of its keys. */
export const canonicalHash = (value: unknown): string => hashOf(canonicalJson(value))

const hashOf = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))
