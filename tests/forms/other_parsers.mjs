// Reads forms and multipart bodies with Node's own parsers: URLSearchParams and Response.formData().
//
//     node other_parsers.mjs < CASES > READINGS
//
// The formats are those of forms_once.cpp.
import { readFileSync } from 'node:fs';

const hex = (bytes) => Buffer.from(bytes).toString('hex');

function readForm(body) {
    let line = 'read';
    for (const [name, value] of new URLSearchParams(body.toString('utf8'))) line += ` ${hex(name)}=${hex(value)}`;
    return line;
}

async function readMultipart(boundary, body) {
    const type = `multipart/form-data; boundary=${boundary}`;
    try {
        let line = 'read';
        for (const [name, value] of await new Response(body, { headers: { 'Content-Type': type } }).formData()) {
            const bytes = typeof value === 'string' ? value : await value.arrayBuffer();
            line += ` ${hex(name)}=${hex(bytes)}`;
        }
        return line;
    } catch (error) {
        return 'refused';
    }
}

for (const line of readFileSync(0, 'latin1').split('\n').slice(0, -1)) {
    const words = line.split(' ');
    const body = Buffer.from(words.at(-1), 'hex');
    console.log(words[0] === 'form' ? readForm(body) : await readMultipart(words[1], body));
}
