export {
  loadPage,
  type ServedStudio,
  type ServeStudioOptions,
  serveStudio,
} from './node/serve-studio.js'
export { openFileStore } from './store/file-store.js'
