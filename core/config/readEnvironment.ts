/** Variables by name; Bun has already added those of `.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the process's environment; nothing else in the product reads it. */
export function readEnvironment(): Environment {
	return { ...process.env };
}
