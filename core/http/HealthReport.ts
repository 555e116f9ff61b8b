/**
 * The report of a live process; the app adds version and sandbox flag. It is made without the
 * database or anything else that could be unreachable.
 */
export type HealthReport = { status: "ok" } & Readonly<Record<string, unknown>>;
