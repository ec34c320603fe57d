import { type Signal, signal } from '@preact/signals'
import type { ContentPart } from '@modelport/core'
import type { VNode } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './icons.js'

/** Most bytes of an attached image. */
const maxImageBytes = 8 * 1024 * 1024

/** What the user wrote and attached. */
export type Draft = string | readonly ContentPart[]

/** True moves the focus to the next message box: a new run shows a new one, and the focus must not be lost. */
export const focusMessage: Signal<boolean> = signal(false)

async function toImage(file: File): Promise<ContentPart> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  let binary = ''
  for (let start = 0; start < bytes.length; start += 8192)
    binary += String.fromCharCode(...bytes.subarray(start, start + 8192))
  return { type: 'image', source: { type: 'base64', data: btoa(binary), mediaType: file.type } }
}

/** Where the user writes. Enter sends, Shift and Enter begin a new line. */
export function Composer({
  busy,
  onSend,
  onStop,
}: {
  readonly busy: boolean
  readonly onSend: (draft: Draft) => void
  readonly onStop?: () => void
}): VNode {
  const [text, setText] = useState('')
  const [images, setImages] = useState<readonly File[]>([])
  const [problem, setProblem] = useState('')
  const input = useRef<HTMLInputElement>(null)
  const message = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    if (focusMessage.peek()) message.current?.focus()
    focusMessage.value = false
  }, [])
  const submit = async (): Promise<void> => {
    if (busy || !text.trim()) return
    const draft: Draft =
      images.length === 0 ? text : [{ type: 'text', text } as const, ...(await Promise.all(images.map(toImage)))]
    setText('')
    setImages([])
    if (input.current) input.current.value = ''
    onSend(draft)
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <label class="visually-hidden" for="message">
        Message
      </label>
      <textarea
        ref={message}
        id="message"
        rows={2}
        placeholder="Ask something. Shift+Enter for a new line."
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
          event.preventDefault()
          void submit()
        }}
      />
      <div class="composer-row">
        <label class="button file">
          Attach images…
          <input
            ref={input}
            class="visually-hidden"
            type="file"
            accept="image/png,image/jpeg,image/gif,image/webp"
            multiple
            onChange={({ currentTarget }) => {
              const files = [...(currentTarget.files ?? [])]
              const tooLarge = files.find(({ size }) => size > maxImageBytes)
              setProblem(tooLarge ? `${tooLarge.name} is larger than 8 MB; attach a smaller image` : '')
              setImages(tooLarge ? [] : files)
            }}
          />
        </label>
        <span class="muted" role="status">
          {problem || (images.length > 0 ? `${images.map(({ name }) => name).join(', ')} attached` : '')}
        </span>
        {busy && onStop ? (
          <button type="button" class="primary" onClick={onStop}>
            <Icon name="stop" /> Stop
          </button>
        ) : (
          <button type="submit" class="primary" disabled={busy || !text.trim()}>
            <Icon name="send" /> Send
          </button>
        )}
      </div>
    </form>
  )
}
