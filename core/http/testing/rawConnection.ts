import net from "node:net";

export type RawAnswer = {
	status: number;
	headers: Readonly<Record<string, string>>;
	body: string;
};

export type RawConnection = {
	/** Sends raw bytes; returns null where the server closes without an answer. */
	ask(bytes: string, options?: { hasNoBody?: boolean }): Promise<RawAnswer | null>;
	close(): void;
};

type Waiting = { hasNoBody: boolean; answered: (answer: RawAnswer | null) => void };

/**
 * Opens a connection that sends bytes that no client would write, one request after the other. It
 * is reused while the server keeps it, and opened again otherwise.
 */
export function rawConnection(port: number): RawConnection {
	let socket: net.Socket | null = null;
	let received = "";
	let waiting: Waiting | null = null;

	function open(): net.Socket {
		const opened = net.connect(port, "127.0.0.1");
		received = "";
		opened.setEncoding("latin1");
		opened.on("data", (text) => {
			if (socket !== opened) return;
			received += text;
			const answer = waiting && wholeAnswer(received, waiting.hasNoBody);
			if (answer) settle(answer);
		});
		opened.on("error", () => {});
		opened.on("close", () => {
			if (socket !== opened) return;
			socket = null;
			settle(waiting && wholeAnswer(received, true));
		});
		return opened;
	}

	function settle(answer: RawAnswer | null): void {
		if (answer?.headers.connection === "close") {
			socket?.destroy();
			socket = null;
		}
		received = "";
		waiting?.answered(answer);
		waiting = null;
	}

	return {
		ask(bytes, { hasNoBody = false } = {}) {
			const { promise, resolve } = Promise.withResolvers<RawAnswer | null>();
			waiting = { hasNoBody, answered: resolve };
			socket ??= open();
			socket.write(bytes, "latin1");
			return promise;
		},
		close() {
			const open = socket;
			socket = null;
			open?.destroy();
		},
	};
}

function wholeAnswer(received: string, hasNoBody: boolean): RawAnswer | null {
	const end = received.indexOf("\r\n\r\n");
	if (end === -1) return null;
	const [first = "", ...lines] = received.slice(0, end).split("\r\n");
	const headers = Object.fromEntries(
		lines.map((line) => {
			const [name = "", ...value] = line.split(":");
			return [name.toLowerCase(), value.join(":").trim()];
		}),
	);
	const status = Number(/^HTTP\/1\.[01] (\d{3})/.exec(first)?.[1] ?? Number.NaN);
	const body = received.slice(end + 4);
	const length = hasNoBody || status === 204 ? 0 : Number(headers["content-length"] ?? 0);
	return body.length < length ? null : { status, headers, body };
}
