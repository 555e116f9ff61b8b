/**
 * What a live process says of itself, beside version and sandbox flag, which the app adds.
 * It is made without asking the database or anything else that could be away.
 */
export type HealthReport = { status: "ok" } & Readonly<Record<string, unknown>>;
