import { Fault, type FaultRetry } from "#core/fault/Fault.ts";
import { faultCatalogue } from "#core/fault/faultCatalogue.ts";

/** A fault's fixed part. `code` defaults to the key in snake_case. */
export type FaultDefinition = {
	status: number;
	retry: FaultRetry;
	public: string;
	/**
	 * What the caller does about it, as a sentence for the code's page. Left out where there is
	 * nothing to say but "wait and repeat", or "an operator has to look".
	 */
	advice?: string;
	code?: string;
};

export type FaultDetails = {
	/** Replaces the public sentence where the definition's is too general to act on. */
	public?: string;
	/** For the log only. */
	detail?: string;
	meta?: Record<string, unknown>;
	members?: Record<string, unknown>;
	cause?: unknown;
};

/**
 * Declares what can go wrong in one area; each entry becomes a function that makes the Fault.
 *
 * @example
 * const marketFault = defineFaults({ notFound: { status: 404, retry: "never", public: "…" } });
 * throw marketFault.notFound({ public: `No collection "${slug}".` });
 */
export function defineFaults<const Definitions extends Record<string, FaultDefinition>>(
	definitions: Definitions,
): { [Name in keyof Definitions]: (details?: FaultDetails) => Fault } {
	const makers: Record<string, (details?: FaultDetails) => Fault> = {};
	for (const [name, definition] of Object.entries<FaultDefinition>(definitions)) {
		const { status, retry, advice, public: meaning } = definition;
		const code = definition.code ?? snakeCase(name);
		faultCatalogue.add({ code, status, retry, meaning, advice });
		makers[name] = (details = {}) =>
			new Fault({
				code,
				status,
				retry,
				publicDetail: details.public ?? meaning,
				privateDetail: details.detail,
				meta: details.meta,
				members: details.members,
				cause: details.cause,
			});
	}
	return makers as { [Name in keyof Definitions]: (details?: FaultDetails) => Fault };
}

function snakeCase(name: string): string {
	return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
