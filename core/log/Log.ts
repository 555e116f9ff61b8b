type Level = (message: string, context?: Record<string, unknown>) => void;

/**
 * What a module may say to the operator: a sentence, and the context as data.
 *
 * Bytes from outside (a contract's name, an upstream's error) go into `context`, which the
 * implementation bounds and redacts; never into the sentence.
 */
export type Log = {
	debug: Level;
	info: Level;
	warn: Level;
	error: Level;
	/** The same log with `context` added to every line. */
	with(context: Record<string, unknown>): Log;
};
