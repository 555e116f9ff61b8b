const HEAD_END = Buffer.from("\r\n\r\n");
const LENGTH = /\r\ncontent-length: *(\d+)/i;

/**
 * Makes a reader of HTTP answers from one connection, as cheap as possible: the server is measured.
 */
export function expectAnswer() {
	let head: Buffer = Buffer.alloc(0);
	let bodyLength = 0;
	let missing = -1;
	let status = 0;

	/**
	 * Returns the bytes of the body that came with the end of the head; undefined before that end.
	 */
	function readHead(bytes: Buffer): number | undefined {
		head = head.length === 0 ? bytes : Buffer.concat([head, bytes]);
		const end = head.indexOf(HEAD_END);
		if (end === -1) {
			head = Buffer.from(head);
			return undefined;
		}
		const text = head.toString("latin1", 0, end);
		status = Number(text.slice(9, 12));
		bodyLength = Number(LENGTH.exec(text)?.[1]);
		if (Number.isNaN(bodyLength)) throw new Error(`an answer without a length:\n${text}`);
		const arrived = head.length - end - HEAD_END.length;
		head = Buffer.alloc(0);
		return arrived;
	}

	return {
		/** Returns the status once an answer is complete, null before. */
		take(bytes: Buffer): number | null {
			let arrived: number | undefined = bytes.length;
			if (missing === -1) {
				arrived = readHead(bytes);
				if (arrived === undefined) return null;
				missing = bodyLength;
			}
			missing -= arrived;
			if (missing < 0) throw new Error("more than one answer came to one request");
			if (missing > 0) return null;
			missing = -1;
			return status;
		},
		bodyBytes: () => bodyLength,
	};
}
