export { openFileStore } from './node/file-store.js'
export { type ServedStudio, type ServeStudioOptions, loadPage, serveStudio } from './node/serve-studio.js'
