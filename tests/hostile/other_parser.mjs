// Reads streams of requests with Node's own parser (llhttp), and writes the result of each.
//
//     node other_parser.mjs STREAMS READINGS
//
// Numbers are 32 bits, little endian; a text is its size and its bytes, a list its size and its elements. STREAMS is a list
// of texts. READINGS holds for each of them a list of requests (method, target, version, list of names and values, body,
// list of names and values of the trailers, "complete" or "cut") and then the code of the error that ended it, or an empty text.
import { readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { Duplex } from 'node:stream';

const [input, output] = process.argv.slice(2);
const together = 256; // streams that are read at a time
const patience = 100; // ms after the last byte: every event of the parser comes before the first timer

// Larger heads than a server accepts by default are read too: the parser is tested, not the server's limits.
const server = http.createServer({ insecureHTTPParser: false, maxHeaderSize: 1 << 20 });
server.maxHeadersCount = 0;
server.httpAllowHalfOpen = true; // requests before the end count
server.on('request', (request, response) => {
    const seen = { request, body: [] };
    request.socket.seen.requests.push(seen);
    request.on('data', (bytes) => seen.body.push(bytes));
    request.on('error', () => {}); // recorded as `cut` by request.complete
    request.on('end', () => response.end());
});
server.on('clientError', (error, socket) => {
    socket.seen.error ||= error.code ?? error.message;
    socket.destroy();
});

function read(bytes) {
    return new Promise((resolve) => {
        const socket = new Duplex({ read() {}, write(chunk, encoding, done) { done(); } });
        socket.seen = { requests: [], error: '' };
        socket.on('error', () => {});
        socket.on('end', () => {
            setTimeout(() => {
                if (!socket.destroyed) socket.seen.error ||= 'no end';
                socket.destroy();
            }, patience);
        });
        socket.on('close', () => resolve(socket.seen));
        server.emit('connection', socket); // its documentation allows any duplex stream
        socket.push(bytes);
        socket.push(null);
    });
}

function streams_of(file) {
    let at = 4;
    const streams = [];
    for (let left = file.readUInt32LE(0); left > 0; --left) {
        const size = file.readUInt32LE(at);
        streams.push(file.subarray(at + 4, at + 4 + size));
        at += 4 + size;
    }
    return streams;
}

const written = [];

function write_number(number) {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32LE(number);
    written.push(bytes);
}

// Node decodes each byte as one character.
function write_text(text) {
    const bytes = Buffer.isBuffer(text) ? text : Buffer.from(text, 'latin1');
    write_number(bytes.length);
    written.push(bytes);
}

function write_pairs(texts) {
    write_number(texts.length / 2);
    texts.forEach(write_text);
}

function write_reading({ requests, error }) {
    write_number(requests.length);
    for (const { request, body } of requests) {
        write_text(request.method);
        write_text(request.url);
        write_text(request.httpVersion);
        write_pairs(request.rawHeaders);
        write_text(Buffer.concat(body));
        write_pairs(request.rawTrailers);
        write_text(request.complete ? 'complete' : 'cut');
    }
    write_text(error);
}

const streams = streams_of(readFileSync(input));
for (let at = 0; at < streams.length; at += together)
    (await Promise.all(streams.slice(at, at + together).map(read))).forEach(write_reading);
writeFileSync(output, Buffer.concat(written));
