export { openFileStore } from './node/file-store.js'
export type { ServedStudio, ServeStudioOptions } from './node/serve-studio.js'
export { loadPage, serveStudio } from './node/serve-studio.js'
