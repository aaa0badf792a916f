// A process that only says that it is up.
process.stdout.write('up');
setInterval(() => {}, 1000);
