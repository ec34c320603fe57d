/** Bundles the page into `folder`. */
export declare function buildPage(folder: string): Promise<void>
