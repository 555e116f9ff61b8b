/** An answer other than 200: the status and the text in `errors`. */
export class Refusal extends Error {
	constructor(
		readonly status: number,
		message: string,
	) {
		super(message);
	}
}
