export { loadPage, type ServedStudio, serveStudio } from './node/serve-studio.js'
export { openFileStore } from './store/file-store.js'
