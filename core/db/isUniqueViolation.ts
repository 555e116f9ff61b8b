const UNIQUE_VIOLATION = "23505";

/** Whether a unique index refused a row: something with the same key is stored already. */
export function isUniqueViolation(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION;
}
