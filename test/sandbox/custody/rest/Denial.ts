/** A refusal of the provider, in its own form. */
export class Denial extends Error {
	readonly status: number;
	readonly code: string | undefined;

	constructor(status: number, sentence: string, code?: string) {
		super(sentence);
		this.status = status;
		this.code = code;
	}

	toResponse(): Response {
		const body = { error: this.message, ...(this.code && { code: this.code }) };
		return Response.json(body, { status: this.status });
	}
}
