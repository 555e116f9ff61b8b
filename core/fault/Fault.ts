/** When the same request may be tried again. */
export type FaultRetry = "never" | "later" | "now";

export type FaultOptions = {
	code: string;
	status: number;
	retry: FaultRetry;
	/** The sentence a stranger may read. */
	publicDetail: string;
	/** What only the operator reads: it goes to the log, never into an answer. */
	privateDetail?: string | undefined;
	/** Operator context for the log. */
	meta?: Record<string, unknown> | undefined;
	/** Members of the problem document beside the standard ones (`issues`, `provider`, …). */
	members?: Record<string, unknown> | undefined;
	cause?: unknown;
};

/**
 * Something that is expected to go wrong, and that the caller can act on.
 *
 * A Fault is the only thing thrown on purpose; what is thrown otherwise is our own mistake and
 * answers 500 without a word about its cause.
 */
export class Fault extends Error {
	override readonly name = "Fault";
	readonly code: string;
	readonly status: number;
	readonly retry: FaultRetry;
	readonly publicDetail: string;
	readonly privateDetail: string | undefined;
	readonly meta: Record<string, unknown>;
	readonly members: Record<string, unknown>;

	constructor(options: FaultOptions) {
		super(`${options.code}: ${options.privateDetail ?? options.publicDetail}`, {
			cause: options.cause,
		});
		this.code = options.code;
		this.status = options.status;
		this.retry = options.retry;
		this.publicDetail = options.publicDetail;
		this.privateDetail = options.privateDetail;
		this.meta = options.meta ?? {};
		this.members = options.members ?? {};
	}
}
