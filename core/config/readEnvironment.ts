/** Variables by name; Bun has already added those of `.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The only place in the product that reads the process's environment. */
export function readEnvironment(): Environment {
	return { ...process.env };
}
