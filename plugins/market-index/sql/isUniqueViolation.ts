/** Raised by the unique index when a row of the batch is stored already. */
const UNIQUE_VIOLATION = "23505";

export function isUniqueViolation(error: unknown): boolean {
	return error instanceof Error && "code" in error && error.code === UNIQUE_VIOLATION;
}
