/** The short form. */
export declare function llmsText(): string
/** The long form: every page, whole. */
export declare function llmsFullText(): string
