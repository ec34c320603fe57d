import { render, type VNode } from 'preact'
import { App, NoSession } from './app.js'
import { openSession, takeNewAddresses } from './link/api.js'
import { connection, takeSessionsOfOtherTabs } from './link/connection.js'
import { followAddress, refreshInfo } from './link/state.js'

const root = document.getElementById('root')
if (root) {
  let isOpen = false
  takeSessionsOfOtherTabs(() => !isOpen || connection.value === 'refused')
  // Before the views follow the address.
  takeNewAddresses()
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
