export declare function problemOf(subject: string): string | undefined
