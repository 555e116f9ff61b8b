/** What a node's error object holds, whatever it held: `error` members come in every shape. */
export type RpcErrorObject = { code: number | null; message: string };
