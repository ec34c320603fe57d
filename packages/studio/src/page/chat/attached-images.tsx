import type { ContentPart } from '@modelport/core'
import type { Signal } from '@preact/signals'
import type { VNode } from 'preact'
import { useEffect, useMemo } from 'preact/hooks'

/** Maximum bytes of an attached image. */
export const maxImageBytes: number = 8 * 1024 * 1024

/** The part of a message that an image becomes. */
export async function toImage(file: File): Promise<ContentPart> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (let start = 0; start < bytes.length; start += 8192)
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192))
  return { type: 'image', source: { type: 'base64', data: btoa(binary), mediaType: file.type } }
}

/** The images that will be sent, each with a button that takes it away. */
export function AttachedImages({
  images,
}: {
  readonly images: Signal<readonly File[]>
}): VNode | null {
  if (images.value.length === 0) return null
  return (
    <ul class="thumbnails" aria-label="Attached images">
      {images.value.map((file, index) => (
        <li key={`${file.name} ${index}`}>
          <Thumbnail file={file} />
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${file.name}`}
            onClick={() => {
              images.value = images.value.filter((one) => one !== file)
            }}
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  )
}

function Thumbnail({ file }: { readonly file: File }): VNode {
  const url = useMemo(() => URL.createObjectURL(file), [file])
  useEffect(() => () => URL.revokeObjectURL(url), [url])
  return <img src={url} alt={file.name} />
}
