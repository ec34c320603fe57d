import { render, type VNode } from 'preact'
import { openSession } from './api.js'
import { App, NoSession } from './app.js'
import { connection, takeSessionsOfOtherTabs } from './connection.js'
import { followAddress, refreshInfo } from './state.js'

const root = document.getElementById('root')
if (root) {
  let isOpen = false
  takeSessionsOfOtherTabs(() => !isOpen || connection.value === 'refused')
  const show = (view: VNode): void => {
    root.replaceChildren()
    render(view, root)
  }
  const open = async (): Promise<void> => {
    followAddress()
    await refreshInfo()
    isOpen = true
    show(<App />)
  }
  if (await openSession()) await open().catch(() => show(<NoSession />))
  else show(<NoSession />)
}
