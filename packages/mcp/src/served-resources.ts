import {
  type ReadResourceResult,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
  UriTemplate,
} from '@modelcontextprotocol/server'
import { toMediaSource } from '@modelport/core'
import { checkLength } from './limits.js'
import type { McpCaller } from './served-caller.js'

/** Something that clients can read. */
export interface ServedResource {
  /**
   * Its address, for example `note://today`, or with placeholders a pattern of addresses (RFC
   * 6570): `note://{day}`.
   */
  readonly uri: string
  /** Names it; people read it. */
  readonly name: string
  /** What it holds; models may read it. */
  readonly description?: string | undefined
  /** Default: `text/plain` for text, `application/octet-stream` for bytes. */
  readonly mimeType?: string | undefined
  /**
   * What it holds, at most 10,000,000 characters, bytes as base64 included. `undefined`: there is
   * nothing at this address.
   * @param values of the placeholders: they are the caller's, so a path must be checked
   */
  read(
    values: Readonly<Record<string, string>>,
    caller: McpCaller,
  ): string | Uint8Array | undefined | Promise<string | Uint8Array | undefined>
}

/** A resource with its pattern, if its address is one. */
export interface PlacedResource {
  readonly resource: ServedResource
  readonly template?: UriTemplate
}

/** Reads the pattern of an address. */
export const toPlaced = (resource: ServedResource): PlacedResource =>
  UriTemplate.isTemplate(resource.uri)
    ? { resource, template: new UriTemplate(resource.uri) }
    : { resource }

const described = ({ name, description, mimeType }: ServedResource) => ({
  name,
  ...(description !== undefined && { description }),
  ...(mimeType !== undefined && { mimeType }),
})

/** The resources with an address, as they are listed. */
export const toListedResources = (placed: readonly PlacedResource[]): Resource[] =>
  placed.flatMap(({ resource, template }) =>
    template ? [] : [{ uri: resource.uri, ...described(resource) }],
  )

/** The patterns of addresses, as they are listed. */
export const toListedTemplates = (placed: readonly PlacedResource[]): ResourceTemplateType[] =>
  placed.flatMap(({ resource, template }) =>
    template ? [{ uriTemplate: resource.uri, ...described(resource) }] : [],
  )

/** @throws {ResourceNotFoundError} nothing has this address. */
export async function readServed(
  placed: readonly PlacedResource[],
  uri: string,
  caller: McpCaller,
): Promise<ReadResourceResult> {
  for (const { resource, template } of placed) {
    const values = template ? template.match(uri) : resource.uri === uri ? {} : null
    if (!values) continue
    const texts = Object.entries(values).map(
      ([name, value]) => [name, [value].flat().join(',')] as const,
    )
    const found = await resource.read(Object.fromEntries(texts), caller)
    if (found === undefined) break
    const isText = typeof found === 'string'
    const mimeType = resource.mimeType ?? (isText ? 'text/plain' : 'application/octet-stream')
    const source = isText ? undefined : toMediaSource(found, mimeType)
    const contents = [
      source?.type === 'base64'
        ? { uri, mimeType, blob: source.data }
        : { uri, mimeType, text: String(found) },
    ]
    checkLength(contents, undefined, `resource ${JSON.stringify(resource.uri)}`, {})
    return { contents }
  }
  throw new ResourceNotFoundError(uri)
}
