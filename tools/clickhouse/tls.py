"""Ports that speak TLS and pass everything on to ports that do not.

The server of server.py is clickhouse-local, which listens without TLS only.
"""

import asyncio
import socket
import ssl
import threading


def listen(ports, certificate, key):
    """Listen on loopback, in a thread of its own, on the ports that are the keys, for those that are the values."""
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(certificate, key)
    # Connections are accepted from here on, and served as soon as the thread runs.
    sockets = [(socket.create_server(("127.0.0.1", tls_port)), port) for tls_port, port in ports.items()]
    threading.Thread(target=lambda: asyncio.run(serve_all(sockets, context)), daemon=True).start()


async def serve_all(sockets, context):
    """Serve all ports until the process ends."""
    await asyncio.gather(*(serve_port(of, context, port) for of, port in sockets))


async def serve_port(listening, context, port):
    """Serve one port."""

    async def serve(reader, writer):
        try:
            plain_reader, plain_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(pass_on(reader, plain_writer), pass_on(plain_reader, writer))

    server = await asyncio.start_server(serve, sock=listening, ssl=context)
    await server.serve_forever()


async def pass_on(reader, writer):
    """Pass on what one side sends, until it closes."""
    try:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()
    except OSError:
        pass
    finally:
        writer.close()
