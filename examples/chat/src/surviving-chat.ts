// `useChat` of the AI SDK as docs/guides/chat-that-survives.md has it.
import { type UseChatHelpers, useChat } from '@ai-sdk/react'
import {
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type UIMessage,
} from 'ai'
import { useEffect } from 'react'

/** The messages of a chat, for a page that is loaded. */
export async function loadChat(id: string): Promise<UIMessage[]> {
  const response = await fetch(`/api/chat/${id}`)
  if (response.status === 404) return [] // a new chat
  return ((await response.json()) as { messages: UIMessage[] }).messages
}

export function useSurvivingChat(id: string, messages: UIMessage[]): UseChatHelpers<UIMessage> {
  const chat = useChat({
    id,
    messages, // from loadChat
    resume: true,
    transport: new DefaultChatTransport({ api: '/api/chat' }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  })
  const { status, error, setMessages, resumeStream } = chat
  // `fetch` rejects with a TypeError if a connection breaks: its server was killed, or the network.
  const isFollowing = status === 'ready' || (status === 'error' && error instanceof TypeError)
  // Another tab wrote, stopped or decided, or the server is back.
  useEffect(() => {
    if (!isFollowing) return
    const changes = new EventSource(`/api/chat/${id}/changes`)
    const refresh = async (): Promise<void> => {
      const loaded = await loadChat(id)
      if (changes.readyState === EventSource.CLOSED) return // The user has sent a message meanwhile.
      setMessages(loaded)
      await resumeStream()
    }
    changes.onopen = refresh
    changes.onmessage = refresh
    return () => changes.close()
  }, [id, isFollowing, setMessages, resumeStream])
  const stop = async (): Promise<void> => {
    await fetch(`/api/chat/${id}/stop`, { method: 'POST' })
    await chat.stop()
  }
  return { ...chat, stop }
}
